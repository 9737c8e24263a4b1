/* What a FILE request does, in a process of its own: the records come and go by its descriptors 0 and 1. */
#pragma once

#include "wire/file_request.h"

/* With the rights, the umask and the limits that the process has. */
__attribute__((noreturn)) void file_operation(const struct file_request *request);

/* The single operations; they end by returning, or by stream_failed. */
void file_state(const struct file_request *request);
void file_list(const struct file_request *request);
void file_content_read(const struct file_request *request);
void file_content_write(const struct file_request *request);
void file_remove(const struct file_request *request);
void copy_out(const struct file_request *request);
void file_attributes(const struct file_request *request);
void diff(const struct file_request *request);
void copy_in(const struct file_request *request);
void file_watch(const struct file_request *request);
