import { artifacts, cache } from './artifacts.ts'
import { allowedKeys, requireHash } from './checks.ts'
import { visit, type Entry } from './node.ts'
import { retry } from './retry.ts'
import { hooks, idTokens, interruptible, script, tags, timeout, image, services } from './simple.ts'

/** The keys that jobs inherit from `default:`, in the order in which they are checked. */
export const DEFAULTS = {
  before_script: script,
  image,
  services,
  after_script: script,
  cache,
  interruptible,
  timeout,
  retry,
  tags,
  artifacts,
  hooks,
  id_tokens: idTokens,
} as const satisfies Record<string, Entry>

export const DEFAULT_KEYS: ReadonlySet<string> = new Set(Object.keys(DEFAULTS))

export const defaults: Entry = (node) => {
  if (!requireHash(node)) return
  allowedKeys(node, DEFAULT_KEYS)
  visit(node, DEFAULTS)
}
