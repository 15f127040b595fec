import { patternOf } from '../language/patterns.ts'
import { isHash, isInteger, isList, isText, isTexts, isBlank, type Value, MONTH } from '../language/values.ts'
import {
  allowedKeys,
  attributes,
  maxDuration,
  requireHash,
  isNested,
  text,
  textOrTexts,
  type Rule,
  texts,
  bool,
  mapping,
} from './checks.ts'
import { type Entry, type Node, visit } from './node.ts'

const IMAGE = new Set(['name', 'entrypoint', 'ports', 'pull_policy', 'docker', 'kubernetes'])
const SERVICE = new Set([...IMAGE, 'alias', 'command', 'variables'])
const PULL_POLICIES = ['always', 'never', 'if-not-present']

const pullPolicy: Rule = (value) => {
  if (!isText(value) && !isTexts(value)) return 'should be an array of strings or a string'
  const unknown = [value].flat().filter((policy) => !PULL_POLICIES.includes(policy))
  return unknown.length > 0 && `contains unknown values: ${unknown.join(', ')}`
}

const ports: Rule = (value) => !isList(value) && 'should be an array'

function imageEntry(node: Node, keys: ReadonlySet<string>): void {
  if (isText(node.value)) {
    if (node.value.trim() === '') node.configError("can't be blank")
    return
  }
  if (!isHash(node.value)) return node.configError('should be a hash or a string')
  allowedKeys(node, keys)
  if (!isText(node.get('name')))
    node.attributeError('name', node.get('name') === null ? "can't be blank" : 'should be a string')
  attributes(node, {
    entrypoint: texts,
    ports,
    pull_policy: pullPolicy,
    docker: mapping,
    kubernetes: mapping,
  })
}

export const image: Entry = (node) => imageEntry(node, IMAGE)

export const services: Entry = (node) => {
  if (!isList(node.value)) return node.configError('should be an array')
  for (const item of node.value) {
    const service = node.item('service', item)
    imageEntry(service, SERVICE)
    attributes(service, { command: texts, alias: text, variables: mapping })
  }
}

/** The allowed keys of an item of `needs:`, by its kind. */
const NEED_KEYS = {
  job: new Set(['job', 'artifacts', 'optional', 'parallel']),
  cross_pipeline: new Set(['pipeline', 'job', 'artifacts']),
  cross_project: new Set(['project', 'job', 'ref', 'artifacts']),
  bridge: new Set(['pipeline']),
} as const

/** What an item of `needs:` names. */
type NeedKind = keyof typeof NEED_KEYS

/** The kind of an item of `needs:`. Undefined for an invalid one. */
export function needKind(item: Value): NeedKind | undefined {
  if (isText(item)) return 'job'
  if (!isHash(item)) return undefined
  if (item.has('project')) return 'cross_project'
  if (item.has('pipeline')) return item.has('job') ? 'cross_pipeline' : 'bridge'
  return item.has('job') ? 'job' : undefined
}

/** `needs:`. Jobs and trigger jobs allow different kinds. */
export function needs(allowed: readonly NeedKind[]): Entry {
  return (node) => {
    if (!isHash(node.value) && !isList(node.value)) {
      return node.configError('can only be a hash or an array')
    }
    const items = isList(node.value)
      ? node.value.flatMap((item) => (isList(item) ? item : [item]))
      : [node.value]
    const kinds = items.map(needKind)
    const invalidKinds = kinds.filter(
      (kind): kind is NeedKind => kind !== undefined && !allowed.includes(kind),
    )
    if (invalidKinds.length > 0)
      node.configError(`uses invalid types: ${[...new Set(invalidKinds)].join(', ')}`)
    if (!node.isValid) return
    for (const item of items) checkNeed(node.item('need', item))
  }
}

function checkNeed(node: Node): void {
  const kind = needKind(node.value)
  if (kind === undefined) return node.error('has an unsupported type')
  if (isText(node.value)) {
    if (node.value.trim() === '') node.configError("can't be blank")
    return
  }
  allowedKeys(node, NEED_KEYS[kind])
  if (kind === 'bridge') return attributes(node, { pipeline: text })
  if (isText(node.get('job')) ? node.get('job') === '' : node.get('job') === null)
    node.attributeError('job', "can't be blank")
  if (kind === 'cross_project' && node.get('ref') === null) node.attributeError('ref', "can't be blank")
  attributes(node, { pipeline: text, project: text, job: text, ref: text, artifacts: bool, optional: bool })
}

const RELEASE_KEYS = new Set([
  'tag_name',
  'tag_message',
  'name',
  'description',
  'ref',
  'milestones',
  'released_at',
  'assets',
])
const ASSETS = new Set(['links'])
const LINK = new Set(['name', 'url', 'filepath', 'link_type'])

const assets: Entry = (node) => {
  if (!requireHash(node)) return
  allowedKeys(node, ASSETS)
  if (!node.has('links')) node.configError('missing required keys: links')
  if (!node.isValid) return
  const links = node.child('links')
  if (!isList(links.value)) return links.configError('should be an array of hashes')
  for (const item of links.value) checkLink(links.item('link', item))
}

function checkLink(node: Node): void {
  if (!isHash(node.value)) return node.configError('should be a hash')
  allowedKeys(node, LINK)
  for (const key of ['name', 'url']) if (isBlank(node.get(key))) node.attributeError(key, "can't be blank")
  attributes(node, { name: text, url: text, filepath: text, link_type: text })
}

/** `release:` (spec ci 4.5). */
export const release: Entry = (node) => {
  if (!requireHash(node)) return
  allowedKeys(node, RELEASE_KEYS)
  for (const key of ['tag_name', 'description'])
    if (isBlank(node.get(key))) node.attributeError(key, "can't be blank")
  attributes(node, {
    tag_name: text,
    tag_message: text,
    name: text,
    description: text,
    ref: text,
    milestones: (value) => !isText(value) && texts(value),
    released_at: (value) =>
      !(isText(value) && !Number.isNaN(Date.parse(value)) && /^\d{4}-/.test(value)) &&
      'must be a valid datetime',
  })
  visit(node, { assets })
}

/** Returns an entry that checks the node itself with a rule. */
export function ruleEntry(rule: Rule): Entry {
  return (node) => {
    const message = rule(node.value)
    if (message) node.configError(message)
  }
}

/** `script:`, `before_script:`, `after_script:` and the scripts of hooks. */
export const script: Entry = (node) => {
  if (!isText(node.value) && !isNested(node.value, isText)) {
    node.configError('should be a string or a nested array of strings up to 10 levels deep')
  }
}

export const stage: Entry = ruleEntry(text)

export const stages: Entry = (node) => {
  if (!isTexts(node.value)) node.configError('should be an array of strings')
}

export const tags: Entry = (node) => {
  if (!isTexts(node.value)) return node.configError('should be an array of strings')
  if (node.value.length >= 50) node.configError('must be less than the limit of 50 tags')
}

export const interruptible: Entry = (node) => {
  if (typeof node.value !== 'boolean') node.configError('should be a boolean value')
}

export const timeout: Entry = ruleEntry(maxDuration(MONTH))

export const coverage: Entry = (node) => {
  if (!isText(node.value) || !patternOf(node.value))
    node.configError('must be a regular expression with re2 syntax')
}

const ALLOW_FAILURE = new Set(['exit_codes'])

export const allowFailure: Entry = (node) => {
  if (!isHash(node.value)) return
  allowedKeys(node, ALLOW_FAILURE)
  const codes = node.get('exit_codes')
  const isValid = isInteger(codes) || (isList(codes) && codes.every(isInteger))
  if (codes !== null && !isValid)
    node.attributeError('exit_codes', 'should be an array of integers or an integer')
}

const HOOKS = new Set(['pre_get_sources_script'])

export const hooks: Entry = (node) => {
  if (requireHash(node)) allowedKeys(node, HOOKS)
  if (node.isValid && node.has('pre_get_sources_script')) script(node.child('pre_get_sources_script'))
}

const ID_TOKEN = new Set(['aud'])

export const idTokens: Entry = (node) => {
  if (!requireHash(node)) return
  for (const key of node.hash.keys()) {
    const token = node.child(key)
    if (!requireHash(token)) continue
    allowedKeys(token, ID_TOKEN)
    const missing = !token.has('aud')
    if (missing) token.configError('missing required keys: aud')
    else if (token.get('aud') === null) token.attributeError('aud', "can't be blank")
    attributes(token, { aud: textOrTexts })
  }
}

const SECRET_STORES = ['vault', 'azure_key_vault', 'gcp_secret_manager'] as const
const SECRET = new Set<string>([...SECRET_STORES, 'file', 'token'])
const VAULT = new Set(['engine', 'path', 'field'])

export const secrets: Entry = (node) => {
  if (!requireHash(node)) return
  for (const key of node.hash.keys()) {
    const secret = node.child(key)
    if (!requireHash(secret)) continue
    allowedKeys(secret, SECRET)
    const stores = SECRET_STORES.filter((store) => secret.has(store))
    if (stores.length !== 1)
      secret.configError(`must use exactly one of these keys: ${SECRET_STORES.join(', ')}`)
    attributes(secret, {
      file: (value) => typeof value !== 'boolean' && 'should be a boolean value',
      token: text,
    })
    if (secret.isValid && secret.has('vault')) checkVault(secret.child('vault'))
  }
}

function checkVault(node: Node): void {
  if (isText(node.value)) return
  if (!isHash(node.value)) return node.error('should be a hash or a string')
  allowedKeys(node, VAULT)
  for (const key of VAULT) if (!node.has(key)) node.attributeError(key, "can't be blank")
}

const INHERIT = new Set(['default', 'variables'])

/** `inherit:`. `defaults` are the keys of `default:`, which its list of defaults may name. */
export function inherit(defaults: ReadonlySet<string>): Entry {
  return (node) => {
    if (requireHash(node)) allowedKeys(node, INHERIT)
    if (!node.isValid) return
    for (const key of INHERIT) {
      const entry = node.child(key)
      if (entry.value === null || typeof entry.value === 'boolean') continue
      if (!isTexts(entry.value)) entry.error('should be a bool or array of strings')
      else if (key === 'default') {
        const unknown = entry.value.filter((name) => !defaults.has(name))
        if (unknown.length > 0) entry.configError(`contains unknown values: ${unknown.join(', ')}`)
      }
    }
  }
}
