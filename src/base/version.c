#include "supple/base.h"

const char* sup_version(void) { return SUP_VERSION; }
uint32_t    sup_abi(void) { return SUP_ABI; }
