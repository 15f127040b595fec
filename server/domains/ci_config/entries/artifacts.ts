import { isHash, isInteger, isList, isText, isTexts } from '../language/values.ts'
import {
  allowedKeys,
  attributes,
  bool,
  durationOrNever,
  maxEntries,
  requireHash,
  mapping,
  oneOf,
  text,
  textOrTexts,
  texts,
  maxLength,
} from './checks.ts'
import { visit, type Entry, type Node } from './node.ts'

const ARTIFACTS = new Set([
  'name',
  'untracked',
  'paths',
  'reports',
  'when',
  'expire_in',
  'expose_as',
  'exclude',
  'public',
  'access',
])

const REPORTS = [
  'accessibility',
  'annotations',
  'api_fuzzing',
  'browser_performance',
  'cluster_image_scanning',
  'codequality',
  'container_scanning',
  'coverage_fuzzing',
  'coverage_report',
  'cyclonedx',
  'dast',
  'dependency_scanning',
  'dotenv',
  'junit',
  'license_scanning',
  'load_performance',
  'lsif',
  'metrics',
  'performance',
  'requirements',
  'requirements_v2',
  'sast',
  'secret_detection',
  'terraform',
]

const REPORT_KEYS = new Set(REPORTS)
const REPORT_RULES = Object.fromEntries(
  REPORTS.filter((name) => name !== 'coverage_report').map((name) => [name, textOrTexts]),
)

const COVERAGE_REPORT = new Set(['coverage_format', 'path'])
const FORMATS = ['cobertura', 'jacoco']

const coverageReport: Entry = (node) => {
  if (!requireHash(node)) return
  allowedKeys(node, COVERAGE_REPORT)
  const format = node.get('coverage_format')
  if (format === null) node.attributeError('coverage_format', "can't be blank")
  else if (!isText(format) || !FORMATS.includes(format)) {
    node.attributeError('coverage_format', `must be one of supported formats: ${FORMATS.join(', ')}.`)
  }
  if (node.get('path') === null) node.attributeError('path', "can't be blank")
  attributes(node, { path: text })
}

const reports: Entry = (node) => {
  if (!requireHash(node)) return
  allowedKeys(node, REPORT_KEYS)
  attributes(node, REPORT_RULES)
  visit(node, { coverage_report: coverageReport })
}

export const artifacts: Entry = (node) => {
  if (!requireHash(node)) return
  allowedKeys(node, ARTIFACTS)
  const exposeAs = node.get('expose_as')
  attributes(node, { name: text, public: bool, untracked: bool, paths: texts })
  if (exposeAs !== null) {
    const paths = node.get('paths')
    if (paths === null || (isTexts(paths) && paths.length === 0))
      node.attributeError('paths', "can't be blank")
    if (isTexts(paths) && paths.some((path) => path.includes('*'))) {
      node.attributeError('paths', "can't contain '*' when used with 'expose_as'")
    }
    attributes(node, {
      expose_as: [
        text,
        maxLength(100),
        (value) =>
          isText(value) &&
          !/^[\w -]*$/.test(value) &&
          "can contain only letters, digits, '-', '_' and spaces",
      ],
    })
  }
  attributes(node, {
    exclude: texts,
    reports: mapping,
    when: oneOf('on_success', 'on_failure', 'always'),
    expire_in: durationOrNever,
    access: oneOf('none', 'developer', 'maintainer', 'all'),
  })
  visit(node, { reports })
}

const CACHE = new Set(['key', 'untracked', 'paths', 'when', 'policy', 'unprotect', 'fallback_keys'])
const KEY = new Set(['files', 'prefix'])
const MAX_CACHES = 4

const files: Entry = (node) => {
  if (!isList(node.value) || !node.value.every(isText))
    return node.configError('should be an array of strings')
  if (node.value.length < 1) node.configError('requires at least 1 item')
  if (node.value.length > 2) node.configError('has too many items (maximum is 2)')
}

const prefix: Entry = (node) => plainKey(node)

function plainKey(node: Node): void {
  if (!isText(node.value)) return node.configError('should be a string or symbol')
  if (/\/|%2f/i.test(node.value)) node.configError('cannot contain the "/" character')
  if (/^(?:\.|%2e){1,2}$/i.test(node.value)) node.configError('cannot be "." or ".."')
}

const key: Entry = (node) => {
  if (isHash(node.value)) {
    allowedKeys(node, KEY)
    if (!node.has('files')) node.configError('missing required keys: files')
    visit(node, { files, prefix })
  } else if (isText(node.value)) plainKey(node)
  else if (!isInteger(node.value)) node.error('should be a hash, a string or a symbol')
}

const cacheItem: Entry = (node) => {
  if (!requireHash(node)) return
  allowedKeys(node, CACHE)
  attributes(node, {
    policy: (value) =>
      !(isText(value) && (/\$/.test(value) || ['pull-push', 'push', 'pull'].includes(value))) &&
      'should be one of: pull-push, push, pull',
    when: oneOf('on_success', 'on_failure', 'always'),
    unprotect: bool,
    fallback_keys: [texts, maxEntries(5)],
    untracked: bool,
    paths: texts,
  })
  visit(node, { key })
}

/** `cache:`, one cache or up to four. */
export const cache: Entry = (node) => {
  if (!isList(node.value)) return cacheItem(node)
  if (node.value.length > MAX_CACHES) return node.configError(`has too many entries (maximum ${MAX_CACHES})`)
  for (const value of node.value) cacheItem(node.item('cache', value))
}
