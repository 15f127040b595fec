import { isHash, isInteger, isList, isText } from '../values.ts'
import { allowedKeys, attributes, bool, entriesUpTo, hash, oneOf, texts } from './checks.ts'
import { visit, type Entry, type Node } from './node.ts'

const CACHE = new Set(['key', 'untracked', 'paths', 'when', 'policy', 'unprotect', 'fallback_keys'])
const KEY = new Set(['files', 'prefix'])
const MAX_CACHES = 4

const files: Entry = (node) => {
  if (!isList(node.value) || !node.value.every(isText)) return node.config('should be an array of strings')
  if (node.value.length < 1) node.config('requires at least 1 item')
  if (node.value.length > 2) node.config('has too many items (maximum is 2)')
}

const prefix: Entry = (node) => plainKey(node)

function plainKey(node: Node): void {
  if (!isText(node.value)) return node.config('should be a string or symbol')
  if (/\/|%2f/i.test(node.value)) node.config('cannot contain the "/" character')
  if (/^(?:\.|%2e){1,2}$/i.test(node.value)) node.config('cannot be "." or ".."')
}

const key: Entry = (node) => {
  if (isHash(node.value)) {
    allowedKeys(node, KEY)
    if (!node.has('files')) node.config('missing required keys: files')
    visit(node, { files, prefix })
  } else if (isText(node.value)) plainKey(node)
  else if (!isInteger(node.value)) node.plain('should be a hash, a string or a symbol')
}

const one: Entry = (node) => {
  if (!hash(node)) return
  allowedKeys(node, CACHE)
  attributes(node, {
    policy: (value) =>
      !(isText(value) && (/\$/.test(value) || ['pull-push', 'push', 'pull'].includes(value))) &&
      'should be one of: pull-push, push, pull',
    when: oneOf('on_success', 'on_failure', 'always'),
    unprotect: bool,
    fallback_keys: [texts, entriesUpTo(5)],
    untracked: bool,
    paths: texts,
  })
  visit(node, { key })
}

/** `cache:`, one or up to four. */
export const cache: Entry = (node) => {
  if (!isList(node.value)) return one(node)
  if (node.value.length > MAX_CACHES) return node.config(`has too many entries (maximum ${MAX_CACHES})`)
  for (const value of node.value) one(node.item('cache', value))
}
