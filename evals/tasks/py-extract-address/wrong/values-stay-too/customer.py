class Customer:
    def __init__(self, name, address):
        self.name = name
        self.address = address
        self.street, self.zip_code, self.city = address.street, address.zip_code, address.city

    def label(self):
        return f"{self.name}\n{self.address.label()}"

    def lives_in(self, city):
        return self.address.city.lower() == city.lower()
