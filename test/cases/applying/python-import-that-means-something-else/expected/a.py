def read(re):
    if re.text is None:
        return ""
    return re.text
