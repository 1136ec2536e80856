/*
 * libarchive and libzip, which are loaded when a file has to be unpacked (base/forker.h). A
 * function that is called for the first time gets a line here.
 */
#ifndef RT_SOURCE_ARCHIVE_H
#define RT_SOURCE_ARCHIVE_H

#include <archive.h>
#include <archive_entry.h>
#include <zip.h>

#include "base/forker.h"

#define archive_entry_filetype RT_LATE(archive_entry_filetype)
#define archive_entry_free RT_LATE(archive_entry_free)
#define archive_entry_hardlink RT_LATE(archive_entry_hardlink)
#define archive_entry_is_encrypted RT_LATE(archive_entry_is_encrypted)
#define archive_entry_new RT_LATE(archive_entry_new)
#define archive_entry_pathname RT_LATE(archive_entry_pathname)
#define archive_entry_pathname_utf8 RT_LATE(archive_entry_pathname_utf8)
#define archive_entry_set_filetype RT_LATE(archive_entry_set_filetype)
#define archive_entry_set_pathname RT_LATE(archive_entry_set_pathname)
#define archive_entry_set_size RT_LATE(archive_entry_set_size)
#define archive_entry_size RT_LATE(archive_entry_size)
#define archive_entry_size_is_set RT_LATE(archive_entry_size_is_set)
#define archive_entry_sparse_count RT_LATE(archive_entry_sparse_count)
#define archive_entry_symlink RT_LATE(archive_entry_symlink)
#define archive_errno RT_LATE(archive_errno)
#define archive_error_string RT_LATE(archive_error_string)
#define archive_filter_bytes RT_LATE(archive_filter_bytes)
#define archive_format RT_LATE(archive_format)
#define archive_read_append_filter RT_LATE(archive_read_append_filter)
#define archive_read_data_block RT_LATE(archive_read_data_block)
#define archive_read_data_skip RT_LATE(archive_read_data_skip)
#define archive_read_free RT_LATE(archive_read_free)
#define archive_read_header_position RT_LATE(archive_read_header_position)
#define archive_read_new RT_LATE(archive_read_new)
#define archive_read_next_header RT_LATE(archive_read_next_header)
#define archive_read_open RT_LATE(archive_read_open)
#define archive_read_open1 RT_LATE(archive_read_open1)
#define archive_read_set_callback_data RT_LATE(archive_read_set_callback_data)
#define archive_read_set_read_callback RT_LATE(archive_read_set_read_callback)
#define archive_read_set_seek_callback RT_LATE(archive_read_set_seek_callback)
#define archive_read_support_format_by_code RT_LATE(archive_read_support_format_by_code)
#define archive_set_error RT_LATE(archive_set_error)
#define archive_write_add_filter RT_LATE(archive_write_add_filter)
#define archive_write_close RT_LATE(archive_write_close)
#define archive_write_data RT_LATE(archive_write_data)
#define archive_write_free RT_LATE(archive_write_free)
#define archive_write_header RT_LATE(archive_write_header)
#define archive_write_new RT_LATE(archive_write_new)
#define archive_write_open RT_LATE(archive_write_open)
#define archive_write_set_bytes_in_last_block RT_LATE(archive_write_set_bytes_in_last_block)
#define archive_write_set_bytes_per_block RT_LATE(archive_write_set_bytes_per_block)
#define archive_write_set_filter_option RT_LATE(archive_write_set_filter_option)
#define archive_write_set_format_pax RT_LATE(archive_write_set_format_pax)
#define archive_write_set_format_raw RT_LATE(archive_write_set_format_raw)

#define zip_close RT_LATE(zip_close)
#define zip_compression_method_supported RT_LATE(zip_compression_method_supported)
#define zip_discard RT_LATE(zip_discard)
#define zip_error_code_zip RT_LATE(zip_error_code_zip)
#define zip_error_fini RT_LATE(zip_error_fini)
#define zip_error_init RT_LATE(zip_error_init)
#define zip_error_set RT_LATE(zip_error_set)
#define zip_error_strerror RT_LATE(zip_error_strerror)
#define zip_error_to_data RT_LATE(zip_error_to_data)
#define zip_fclose RT_LATE(zip_fclose)
#define zip_file_get_error RT_LATE(zip_file_get_error)
#define zip_file_replace RT_LATE(zip_file_replace)
#define zip_file_set_dostime RT_LATE(zip_file_set_dostime)
#define zip_fopen_index RT_LATE(zip_fopen_index)
#define zip_fread RT_LATE(zip_fread)
#define zip_get_error RT_LATE(zip_get_error)
#define zip_get_num_entries RT_LATE(zip_get_num_entries)
#define zip_open_from_source RT_LATE(zip_open_from_source)
#define zip_set_file_compression RT_LATE(zip_set_file_compression)
#define zip_source_free RT_LATE(zip_source_free)
#define zip_source_function_create RT_LATE(zip_source_function_create)
#define zip_source_seek_compute_offset RT_LATE(zip_source_seek_compute_offset)
#define zip_stat_init RT_LATE(zip_stat_init)

#endif
