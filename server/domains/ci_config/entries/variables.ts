import { isBlank, isHash, isList, isScalar, type Value } from '../language/values.ts'
import type { Entry, Node } from './node.ts'

const JOB_KEYS = new Set(['value', 'expand'])
const ROOT_KEYS = new Set(['value', 'description', 'expand', 'options'])

function variables(keys: ReadonlySet<string>, words: string): Entry {
  return (node) => {
    if (!isHash(node.value)) return node.config(words)
    for (const [name, value] of node.value) {
      if (isHash(value)) definition(node.at(name), keys)
      else if (!isScalar(value)) node.at(name).bare('variable definition must be either a string or a hash')
    }
  }
}

function definition(node: Node, keys: ReadonlySet<string>): void {
  const unknown = [...node.hash.keys()].filter((key) => !keys.has(key))
  if (unknown.length > 0) node.config(`uses invalid data keys: ${unknown.join(', ')}`)
  const value = node.get('value')
  if (node.has('value') && !isScalar(value)) node.config('value must be a string')
  if (node.has('description') && !isScalar(node.get('description')))
    node.config('description must be a string')
  if (node.has('expand') && typeof node.get('expand') !== 'boolean')
    node.config('expand should be a boolean value')
  if (keys.has('options') && node.has('options')) options(node, value)
}

function options(node: Node, value: Value): void {
  const list = node.get('options')
  if (!isList(list) || !list.every(isScalar)) return node.config('options should be an array of strings')
  const isListed = !isBlank(value) && list.some((option) => String(option) === String(value))
  if (!isListed) node.config('value must be present in options')
}

/** Variables of a job or a rule. */
export const jobVariables = variables(JOB_KEYS, 'should be a hash of key value pairs')
/** Top-level variables, which may have descriptions for the form that starts a pipeline. */
export const rootVariables = variables(ROOT_KEYS, 'should be a hash of key value pairs, value can be a hash')
