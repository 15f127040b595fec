import { runInThisContext } from 'node:vm'
import { expect, it } from 'vitest'

import { splitModule } from '../../scripts/lib/start-script.ts'

const split = (code: string) => splitModule(code, 'a.script.js', './run.js')

/** The exports of a module, run as a script with these imports. */
function run(code: string, ...imports: unknown[]): Record<string, unknown> {
  const { script } = split(code)
  return runInThisContext(script)({ url: 'file:///a.js' }, (path: string) => `loaded ${path}`, ...imports)
}

it('a module becomes a script with imports as parameters and exports as its value', () => {
  const code = [
    'import all, { one, two as second } from "./numbers.js";import * as names from "./names.js";import "./effect.js";',
    'const sum = all + one + second + names.three;',
    'const load = () => import("./later.js");',
    'export { sum, load as read };',
  ].join('\n')
  const { sum, load } = run(code, { default: 1, one: 10, two: 100 }, { three: 1000 }, {}) as {
    sum: number
    load: () => string
  }
  expect([sum, load()]).toEqual([1111, 'loaded ./later.js'])
  expect(run('const a = import.meta.url;export { a };')).toEqual({ a: 'file:///a.js' })
  expect(split(code).module.split('\n')).toEqual([
    'import{runScript}from"./run.js";',
    'import*as $0 from"./numbers.js";',
    'import*as $1 from"./names.js";',
    'import*as $2 from"./effect.js";',
    'const{sum,load}=runScript(import.meta.dirname+"/a.script.js")(import.meta,(path)=>import(path),$0,$1,$2);',
    'export{sum as sum,load as read};',
  ])
})

it('modules of Node are objects, also as a default import', () => {
  const code = 'import path, { join as joined } from "node:path";export { path, joined };'
  expect(split(code).module).toContain('const $0=process.getBuiltinModule("node:path");')
  const path = process.getBuiltinModule('node:path')
  expect(run(code, path)).toEqual({ path, joined: path.join })
})

it('all other code keeps its column, one line lower', () => {
  const code =
    'import { a as b } from "./numbers.js";import.meta.url;import("./c.js");const d = b;export { d };let e;'
  const { script } = split(code)
  for (const text of ['const d', 'let e', '.url', '("./c.js")'])
    expect([text, script.split('\n')[1]!.indexOf(text)]).toEqual([text, code.indexOf(text)])
})

it('texts and patterns that look like an import are kept', () => {
  const code = [
    'const a = "import(x) import.meta";const b = /import(-|$)/;const c = { import: () => 3 }.import();',
    'const d = `import(${import.meta.url})`;export { a, b, c, d };',
  ].join('\n')
  expect(run(code)).toEqual({ a: 'import(x) import.meta', b: /import(-|$)/, c: 3, d: 'import(file:///a.js)' })
})

it('an export that changes later is refused, a local name like it is not', () => {
  const message = 'These exports may change later: a.'
  expect(() => split('let a = 1;function b() { a = 2 }export { a, b };')).toThrow(message)
  expect(() => split('let a = 1;function b() { { a++ } }export { a, b };')).toThrow(message)
  for (const local of [
    'let a = 1;',
    'var [a] = [1];',
    'for (let a of []) a++;',
    'try {} catch (a) { a = 1 }',
  ])
    expect(() => split(`let a = 1;function b() { ${local} a = 2 }export { a, b };`)).not.toThrow()
  expect(() => split('let a = 1;const b = ({ c: a }) => { a = 2 };export { a, b };')).not.toThrow()
})

it('exports in a form that the bundler does not write are refused', () => {
  for (const code of ['export const a = 1;', 'export * from "./a.js";', 'export default 1;'])
    expect(() => split(code)).toThrow('in another form')
})
