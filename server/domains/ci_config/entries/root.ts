import { isBlank, isHash, isList, isText, type Hash, type Value } from '../language/values.ts'
import { cache } from './artifacts.ts'
import { allowedKeys, attributes, flatten, oneOf, text, upTo } from './checks.ts'
import { defaults } from './defaults.ts'
import { job, kindOf } from './job.ts'
import { Node, visit, type Entry, type Report } from './node.ts'
import { workflowRules } from './rules.ts'
import { script, stages, image, services } from './simple.ts'
import { rootVariables } from './variables.ts'

const KEYS = new Set(['rules', 'name', 'auto_cancel'])

const AUTO_CANCEL = new Set(['on_new_commit', 'on_job_failure'])

const autoCancel: Entry = (node) => {
  if (!isHash(node.value)) return node.config('should be a hash')
  allowedKeys(node, AUTO_CANCEL)
  attributes(node, {
    on_new_commit: oneOf('conservative', 'interruptible', 'none'),
    on_job_failure: oneOf('none', 'all'),
  })
}

/** `workflow:` (spec ci 4.8). */
const workflow: Entry = (node) => {
  if (!isHash(node.value)) return node.config('should be a hash')
  if (isBlank(node.value)) return node.config("can't be blank")
  allowedKeys(node, KEYS)
  attributes(node, {
    name: [
      text,
      upTo(255),
      (value) => isText(value) && value === '' && 'is too short (minimum is 1 character)',
    ],
  })
  visit(node, { rules: workflowRules, auto_cancel: autoCancel })
}

/** Deprecated top-level keys that mean the same as in `default:`. */
export const OLD_DEFAULTS = ['image', 'services', 'before_script', 'after_script', 'cache'] as const

const ROOT = {
  default: defaults,
  before_script: script,
  image,
  services,
  after_script: script,
  variables: rootVariables,
  stages,
  cache,
  workflow,
} as const satisfies Record<string, Entry>

const ROOT_KEYS = new Set([...Object.keys(ROOT), 'include', 'spec'])

/** The top-level keys that are not keywords: jobs, hidden ones too. */
export function jobsIn(config: Hash): [string, Value][] {
  return [...config].filter(([key]) => !ROOT_KEYS.has(key))
}

/** Checks a whole configuration (spec ci 4.2): keywords first, then the jobs in their order. */
export function checkRoot(config: Hash, report: Report): void {
  const root = new Node(report, '', config, undefined)
  visit(root, ROOT)
  const input = root.get('default')
  if (isHash(input)) {
    for (const key of OLD_DEFAULTS) {
      if (!config.has(key) || !input.has(key)) continue
      report.error(`${key} is defined in top-level and \`default:\` entry`, config.locations.get(key))
    }
  }
  if (jobs(config, report)) for (const [name, value] of jobsIn(config)) warnOfTwo(config, report, name, value)
}

/** False if the list of jobs itself is wrong; single jobs are not visited then. */
function jobs(config: Hash, report: Report): boolean {
  const all = jobsIn(config).map(([name, value]) => ({ name, value, kind: kindOf(name, value) }))
  const unknown = all.filter(({ kind }) => kind === undefined)
  for (const { name } of unknown) {
    const words = `jobs ${name} config should implement a script: or a trigger: keyword`
    report.error(words.toLowerCase(), config.locations.get(name))
  }
  const isVisible = all.some(({ kind }) => kind === 'job' || kind === 'bridge')
  if (!isVisible) report.error('jobs config should contain at least one visible job', undefined)
  if (unknown.length > 0 || !isVisible) return false
  for (const { name, value, kind } of all) {
    if (kind === 'hidden') continue
    const node = new Node(report, `jobs:${name}`, value, config.locations.get(name))
    if (config.odd?.has(name)) node.attribute('name', 'should be a symbol')
    else if (name === '') report.error("jobs:job name can't be blank", node.source)
    else job(node, name, kind === 'bridge')
  }
  return true
}

/** Warns about a last rule that always matches, which leads to duplicate pipelines (spec ci 4.7). */
function warnOfTwo(config: Hash, report: Report, name: string, value: Value): void {
  const workflowed = config.get('workflow')
  if (isHash(workflowed) && workflowed.has('rules')) return
  if (name.startsWith('.') || !isHash(value)) return
  const rules = value.get('rules')
  const last = isList(rules) ? rules.flatMap(flatten).at(-1) : undefined
  if (!isHash(last) || last.size !== 1 || !last.has('when') || last.get('when') === 'never') return
  report.warn(
    `jobs:${name} may allow multiple pipelines to run for a single action due to \`rules:when\` clause with no \`workflow:rules\``,
    value.locations.get('rules'),
  )
}
