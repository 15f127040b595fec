import { patternOf } from '../language/patterns.ts'
import { isHash, isInteger, isList, isText, isTexts } from '../language/values.ts'
import {
  allowedKeys,
  attributes,
  durationUpTo,
  hash,
  isNested,
  text,
  textOrTexts,
  type Rule,
} from './checks.ts'
import { MONTH } from '../language/values.ts'
import type { Entry, Node } from './node.ts'

/** Reports the message of a rule about the node itself. */
export function about(rule: Rule): Entry {
  return (node) => {
    const words = rule(node.value)
    if (words) node.config(words)
  }
}

/** `script`, `before_script`, `after_script` and the scripts of hooks. */
export const script: Entry = (node) => {
  if (!isText(node.value) && !isNested(node.value, isText)) {
    node.config('should be a string or a nested array of strings up to 10 levels deep')
  }
}

export const stage: Entry = about(text)

export const stages: Entry = (node) => {
  if (!isTexts(node.value)) node.config('should be an array of strings')
}

export const tags: Entry = (node) => {
  if (!isTexts(node.value)) return node.config('should be an array of strings')
  if (node.value.length >= 50) node.config('must be less than the limit of 50 tags')
}

export const interruptible: Entry = (node) => {
  if (typeof node.value !== 'boolean') node.config('should be a boolean value')
}

export const timeout: Entry = about(durationUpTo(MONTH))

export const coverage: Entry = (node) => {
  if (!isText(node.value) || !patternOf(node.value))
    node.config('must be a regular expression with re2 syntax')
}

const ALLOW_FAILURE = new Set(['exit_codes'])

export const allowFailure: Entry = (node) => {
  if (!isHash(node.value)) return
  allowedKeys(node, ALLOW_FAILURE)
  const codes = node.get('exit_codes')
  const isRight = isInteger(codes) || (isList(codes) && codes.every(isInteger))
  if (codes !== null && !isRight) node.attribute('exit_codes', 'should be an array of integers or an integer')
}

const HOOKS = new Set(['pre_get_sources_script'])

export const hooks: Entry = (node) => {
  if (hash(node)) allowedKeys(node, HOOKS)
  if (node.ok && node.has('pre_get_sources_script')) script(node.at('pre_get_sources_script'))
}

const ID_TOKEN = new Set(['aud'])

export const idTokens: Entry = (node) => {
  if (!hash(node)) return
  for (const key of node.hash.keys()) {
    const token = node.at(key)
    if (!hash(token)) continue
    allowedKeys(token, ID_TOKEN)
    const missing = !token.has('aud')
    if (missing) token.config('missing required keys: aud')
    else if (token.get('aud') === null) token.attribute('aud', "can't be blank")
    attributes(token, { aud: textOrTexts })
  }
}

const SECRET_STORES = ['vault', 'azure_key_vault', 'gcp_secret_manager'] as const
const SECRET = new Set<string>([...SECRET_STORES, 'file', 'token'])
const VAULT = new Set(['engine', 'path', 'field'])

export const secrets: Entry = (node) => {
  if (!hash(node)) return
  for (const key of node.hash.keys()) {
    const secret = node.at(key)
    if (!hash(secret)) continue
    allowedKeys(secret, SECRET)
    const stores = SECRET_STORES.filter((store) => secret.has(store))
    if (stores.length !== 1) secret.config(`must use exactly one of these keys: ${SECRET_STORES.join(', ')}`)
    attributes(secret, {
      file: (value) => typeof value !== 'boolean' && 'should be a boolean value',
      token: text,
    })
    if (secret.ok && secret.has('vault')) vault(secret.at('vault'))
  }
}

function vault(node: Node): void {
  if (isText(node.value)) return
  if (!isHash(node.value)) return node.plain('should be a hash or a string')
  allowedKeys(node, VAULT)
  for (const key of VAULT) if (!node.has(key)) node.attribute(key, "can't be blank")
}

const INHERIT = new Set(['default', 'variables'])

/** `inherit:`; its list of defaults allows only the keys of `default:`. */
export function inherit(defaults: ReadonlySet<string>): Entry {
  return (node) => {
    if (hash(node)) allowedKeys(node, INHERIT)
    if (!node.ok) return
    for (const key of INHERIT) {
      const one = node.at(key)
      if (one.value === null || typeof one.value === 'boolean') continue
      if (!isTexts(one.value)) one.plain('should be a bool or array of strings')
      else if (key === 'default') {
        const unknown = one.value.filter((name) => !defaults.has(name))
        if (unknown.length > 0) one.config(`contains unknown values: ${unknown.join(', ')}`)
      }
    }
  }
}
