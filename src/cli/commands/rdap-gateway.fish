# fish completion for rdap-gateway
complete -c rdap-gateway -f -a '(rdap-gateway completion words -- (commandline -opc)[2..] (commandline -ct))'
