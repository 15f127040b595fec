import { isBlank, isHash, isList, isScalar, type Value } from '../language/values.ts'
import type { Entry, Node } from './node.ts'

const JOB_KEYS = new Set(['value', 'expand'])
const ROOT_KEYS = new Set(['value', 'description', 'expand', 'options'])

function variables(keys: ReadonlySet<string>, message: string): Entry {
  return (node) => {
    if (!isHash(node.value)) return node.configError(message)
    for (const [name, value] of node.value) {
      if (isHash(value)) checkDefinition(node.child(name), keys)
      else if (!isScalar(value))
        node.child(name).bareError('variable definition must be either a string or a hash')
    }
  }
}

function checkDefinition(node: Node, keys: ReadonlySet<string>): void {
  const unknown = [...node.hash.keys()].filter((key) => !keys.has(key))
  if (unknown.length > 0) node.configError(`uses invalid data keys: ${unknown.join(', ')}`)
  const value = node.get('value')
  if (node.has('value') && !isScalar(value)) node.configError('value must be a string')
  if (node.has('description') && !isScalar(node.get('description')))
    node.configError('description must be a string')
  if (node.has('expand') && typeof node.get('expand') !== 'boolean')
    node.configError('expand should be a boolean value')
  if (keys.has('options') && node.has('options')) checkOptions(node, value)
}

function checkOptions(node: Node, value: Value): void {
  const list = node.get('options')
  if (!isList(list) || !list.every(isScalar)) return node.configError('options should be an array of strings')
  const isListed = !isBlank(value) && list.some((option) => String(option) === String(value))
  if (!isListed) node.configError('value must be present in options')
}

/** `variables:` of a job or a rule. */
export const jobVariables = variables(JOB_KEYS, 'should be a hash of key value pairs')
/** The top-level `variables:`. They may have descriptions, which the form for a new pipeline shows. */
export const rootVariables = variables(ROOT_KEYS, 'should be a hash of key value pairs, value can be a hash')
