# Completion of retriage in bash. The program knows its commands and options: it is asked once.
eval "$(retriage completion bash 2>/dev/null)"
