# Completes dendro's command lines in fish: dendro itself says which words fit.

function __dendro_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found ($words[1] completion words $words 2>/dev/null)
    switch "$found[1]"
        case ':files'
            __fish_complete_path (commandline -ct)
        case ':folders'
            __fish_complete_directories (commandline -ct)
        case ':command *'
            set -l at (math (string replace ':command ' '' -- $found[1]) + 1)
            complete -C (string join ' ' -- $words[$at..-1])
        case '*'
            string join \n -- $found
    end
end

complete -c dendro -f -a '(__dendro_complete)'
