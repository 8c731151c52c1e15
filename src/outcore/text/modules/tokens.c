#include "outcore/text/modules/tokens.h"

const uint8_t token_class[256] = {
    ['\t' ... '\r'] = TOKEN_BLANK, [' '] = TOKEN_BLANK,
    ['0' ... '9'] = TOKEN_DIGIT,   ['A' ... 'Z'] = TOKEN_UPPER,
    ['a' ... 'z'] = TOKEN_LOWER,   [128 ... 255] = TOKEN_HIGH,
};
