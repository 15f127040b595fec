import { isHash, isList, isText, isTexts } from '../language/values.ts'
import { allowedKeys, attributes, mapping, text, texts, type Rule } from './checks.ts'
import type { Entry, Node } from './node.ts'

const IMAGE = new Set(['name', 'entrypoint', 'ports', 'pull_policy', 'docker', 'kubernetes'])
const SERVICE = new Set([...IMAGE, 'alias', 'command', 'variables'])
const PULL_POLICIES = ['always', 'never', 'if-not-present']

const pullPolicy: Rule = (value) => {
  if (!isText(value) && !isTexts(value)) return 'should be an array of strings or a string'
  const unknown = [value].flat().filter((one) => !PULL_POLICIES.includes(one))
  return unknown.length > 0 && `contains unknown values: ${unknown.join(', ')}`
}

const ports: Rule = (value) => !isList(value) && 'should be an array'

function named(node: Node, keys: ReadonlySet<string>): void {
  if (isText(node.value)) {
    if (node.value.trim() === '') node.config("can't be blank")
    return
  }
  if (!isHash(node.value)) return node.config('should be a hash or a string')
  allowedKeys(node, keys)
  if (!isText(node.get('name')))
    node.attribute('name', node.get('name') === null ? "can't be blank" : 'should be a string')
  attributes(node, {
    entrypoint: texts,
    ports,
    pull_policy: pullPolicy,
    docker: mapping,
    kubernetes: mapping,
  })
}

export const image: Entry = (node) => named(node, IMAGE)

export const services: Entry = (node) => {
  if (!isList(node.value)) return node.config('should be an array')
  for (const one of node.value) {
    const service = node.item('service', one)
    named(service, SERVICE)
    attributes(service, { command: texts, alias: text, variables: mapping })
  }
}
