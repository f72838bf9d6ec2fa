// Marks named parts of a program in its trace; does nothing when the program is not traced. No library is
// needed.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif
void striate_region_begin(const char* name) __attribute__((weak));
void striate_region_end(const char* name) __attribute__((weak));
#ifdef __cplusplus
}
#endif

#define STRIATE_REGION_BEGIN(name) (striate_region_begin ? striate_region_begin(name) : (void)0)
#define STRIATE_REGION_END(name) (striate_region_end ? striate_region_end(name) : (void)0)
