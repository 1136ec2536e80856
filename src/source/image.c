/*
 * Carries the decoder's program. Input: the file that the build has linked, RT_IMAGE_PATH.
 * Output: its bytes. The assembler reads them: as a C array they would take the compiler seconds.
 */
#include "source/image.h"

#ifndef RT_IMAGE_PATH
#define RT_IMAGE_PATH __FILE__ /* for a look at this file alone */
#endif

__asm__(".pushsection .rodata, \"a\"\n"
	".hidden rt_image\n"
	".hidden rt_image_len\n"
	".globl rt_image\n"
	".globl rt_image_len\n"
	".balign 16\n"
	"rt_image:\n"
	".incbin \"" RT_IMAGE_PATH "\"\n"
	"1:\n"
	".balign 8\n"
	"rt_image_len:\n"
	".8byte 1b - rt_image\n"
	".popsection\n");
