// Validates files against the schema of SARIF 2.1.0: node validate_sarif.js PACKAGES FILE…
// PACKAGES is the folder in which `npm ci` has installed what package.json names.
"use strict";
const fs = require("fs");
const path = require("path");
const [packages, ...files] = process.argv.slice(2);
const load = (name) => require(path.resolve(packages, "node_modules", name));

const Ajv = load("ajv-draft-04").default;
// A pattern of the schema is not valid with the flag "u".
const ajv = new Ajv({ allErrors: true, strict: false, unicodeRegExp: false });
load("ajv-formats").default(ajv);
const validate = ajv.compile(load("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"));

let failed = false;
for (const file of files) {
  if (!validate(JSON.parse(fs.readFileSync(file, "utf8")))) {
    failed = true;
    for (const error of validate.errors.slice(0, 20)) {
      console.log(`${file}: ${error.instancePath}: ${error.message} ${JSON.stringify(error.params)}`);
    }
  }
}
process.exit(failed ? 1 : 0);
