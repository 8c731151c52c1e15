/* cld2 on the documents of bench/ngram: its rate, and the language of each document.
 *
 *   ngram_cld2 TEXT BYTES SECONDS */
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>

#include <cld2/public/compact_lang_det.h> /* needs cstdio before it */

static CLD2::Language language_of(const char *text, int bytes)
{
    bool reliable;
    return CLD2::DetectLanguage(text, bytes, true, &reliable);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    std::ifstream file(argv[1], std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    const size_t each = (size_t)atoll(argv[2]);
    for (size_t i = 0; i + each <= text.size(); i += each)
        printf("%s\n", CLD2::LanguageCode(language_of(&text[i], (int)each)));
    const clock_t begun = clock();
    double seconds = 0, bytes = 0;
    for (size_t i = 0; seconds < atof(argv[3]); i += each, bytes += (double)each) {
        if (i + each > text.size())
            i = 0;
        language_of(&text[i], (int)each);
        seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
    }
    printf("MBps %.2f\n", bytes / seconds / 1e6);
}
