cP7
const x = require('x'), { y } = require('y');
module.exports.f = function () { return /re[/]/g; };
class A { static #p = 1; get p() { return 1 } }
function* g() { yield `a${1}`; }
A.prototype.m = () => {};
