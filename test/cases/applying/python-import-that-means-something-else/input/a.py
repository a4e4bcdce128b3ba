def read(re):
    return re.text
