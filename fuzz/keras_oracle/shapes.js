// The shapes that TensorFlow.js gives for stacks of layers.
//
// stdin: one JSON document a line, {"input": [32, 32, 3], "layers": [["conv2d", {"filters": 8, …}], …]}
// stdout: one a line, {"shapes": [[2, 32, 32, 3], …]}, and "error" if the layer behind the last shape raised one.
"use strict";

const path = require("path");
const modules = path.resolve(process.argv[2], "node_modules");
const core = require(path.join(modules, "@tensorflow/tfjs-core"));
require(path.join(modules, "@tensorflow/tfjs-backend-cpu"));
const tf = require(path.join(modules, "@tensorflow/tfjs-layers"));
const readline = require("readline");

function layerOf([name, options]) {
  if (name === "bidirectional") {
    return tf.layers.bidirectional({layer: layerOf(options.layer), mergeMode: options.mergeMode});
  }
  if (name === "timeDistributed") {
    return tf.layers.timeDistributed({layer: layerOf(options.layer)});
  }
  // The usual initializer of these needs operations of another package.
  const isRecurrent = name === "lstm" || name === "gru" || name === "simpleRNN";
  return tf.layers[name](isRecurrent ? {...options, recurrentInitializer: "zeros"} : options);
}

function shapesOf(stack) {
  const answer = {shapes: [[2, ...stack.input]]};
  try {
    let value = tf.input({batchShape: [2, ...stack.input]}); // with a batch of null, Reshape checks nothing
    for (const description of stack.layers) {
      if (description[0] === "add" || description[0] === "concatenate") { // with itself, or the input
        value = layerOf(description).apply([value, value]);
      } else if (description[0] !== "flatten" || value.shape.length > 2) { // Keras leaves two dimensions alone
        value = layerOf(description).apply(value);
      }
      if (value.shape.some((size) => size !== null && size < 1)) {
        answer.error = "nothing is left";
        return answer;
      }
      answer.shapes.push(value.shape);
    }
  } catch (error) {
    answer.error = String(error.message).split("\n")[0];
  }
  return answer;
}

core.setBackend("cpu").then(() => {
  readline.createInterface({input: process.stdin}).on("line", (line) => {
    core.engine().startScope();
    process.stdout.write(JSON.stringify(shapesOf(JSON.parse(line))) + "\n");
    core.engine().endScope();
    core.disposeVariables();
  });
});
