exports.greet = (name) => `Helo ${name}`;
