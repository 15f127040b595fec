import { isBlank, isHash, isText, type Value } from '../values.ts'
import { allowedKeys, attributes, durationOrNever, mapping, text, upTo } from './checks.ts'
import type { Entry, Node } from './node.ts'

const KEYS = new Set(['name', 'url', 'action', 'on_stop', 'auto_stop_in', 'deployment_tier', 'kubernetes'])
const NAME = /^[\w\-/${}. ]+$/
const ACTIONS = ['start', 'stop', 'prepare', 'verify', 'access']
const TIERS = ['production', 'staging', 'testing', 'development', 'other']

/** `environment:` (spec ci 4.5, 5.2). */
export const environment: Entry = (node) => {
  if (isText(node.value)) return checkName(node, node.value)
  if (!isHash(node.value)) return node.config('should be a hash or a string')
  allowedKeys(node, KEYS)
  checkName(node, node.get('name'))
  attributes(node, {
    url: [text, upTo(255)],
    action: (value) => !isOne(value, ACTIONS) && `should be start, stop or prepare`,
    deployment_tier: (value) => !isOne(value, TIERS) && `must be one of ${TIERS.join(', ')}`,
    on_stop: text,
    kubernetes: mapping,
    auto_stop_in: (value) => (isText(value) && value.includes('$') ? false : durationOrNever(value)),
  })
}

function checkName(node: Node, name: Value): void {
  if (isBlank(name)) return node.attribute('name', "can't be blank")
  if (!isText(name)) return node.attribute('name', 'should be a string')
  if (name.length > 255) node.attribute('name', 'is too long (maximum is 255 characters)')
  if (!NAME.test(name) || name.startsWith('/') || name.endsWith('/')) {
    node.attribute(
      'name',
      "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'",
    )
  }
}

function isOne(value: Value, list: readonly string[]): boolean {
  return isText(value) && list.includes(value)
}
