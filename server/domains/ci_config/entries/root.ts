import { isBlank, isHash, isList, isText, type Hash, type Value } from '../language/values.ts'
import { cache } from './artifacts.ts'
import { allowedKeys, attributes, flatten, oneOf, text, maxLength } from './checks.ts'
import { defaults } from './defaults.ts'
import { job, kindOf } from './job.ts'
import { Node, visit, type Entry, type Report } from './node.ts'
import { workflowRules } from './rules.ts'
import { script, stages, image, services } from './simple.ts'
import { rootVariables } from './variables.ts'

const WORKFLOW_KEYS = new Set(['rules', 'name', 'auto_cancel'])

const AUTO_CANCEL_KEYS = new Set(['on_new_commit', 'on_job_failure'])

const autoCancel: Entry = (node) => {
  if (!isHash(node.value)) return node.configError('should be a hash')
  allowedKeys(node, AUTO_CANCEL_KEYS)
  attributes(node, {
    on_new_commit: oneOf('conservative', 'interruptible', 'none'),
    on_job_failure: oneOf('none', 'all'),
  })
}

/** `workflow:` (spec ci 4.8). */
const workflow: Entry = (node) => {
  if (!isHash(node.value)) return node.configError('should be a hash')
  if (isBlank(node.value)) return node.configError("can't be blank")
  allowedKeys(node, WORKFLOW_KEYS)
  attributes(node, {
    name: [
      text,
      maxLength(255),
      (value) => isText(value) && value === '' && 'is too short (minimum is 1 character)',
    ],
  })
  visit(node, { rules: workflowRules, auto_cancel: autoCancel })
}

/** Deprecated top-level keys with the same meaning as in `default:`. */
export const DEPRECATED_DEFAULTS = ['image', 'services', 'before_script', 'after_script', 'cache'] as const

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

/** The top-level keys that are not keywords, with their values. These are the jobs, including hidden ones. */
export function jobsIn(config: Hash): [string, Value][] {
  return [...config].filter(([key]) => !ROOT_KEYS.has(key))
}

/** Checks a configuration (spec ci 4.2): first the keywords, then the jobs in their order. */
export function checkRoot(config: Hash, report: Report): void {
  const root = new Node(report, '', config, undefined)
  visit(root, ROOT)
  const input = root.get('default')
  if (isHash(input)) {
    for (const key of DEPRECATED_DEFAULTS) {
      if (!config.has(key) || !input.has(key)) continue
      report.error(`${key} is defined in top-level and \`default:\` entry`, config.locations.get(key))
    }
  }
  if (!checkJobs(config, report)) return
  for (const [name, value] of jobsIn(config)) warnOfDuplicates(config, report, name, value)
}

/** Checks the jobs. Returns false, without visiting single jobs, if a key is not a job or no job is visible. */
function checkJobs(config: Hash, report: Report): boolean {
  const all = jobsIn(config).map(([name, value]) => ({ name, value, kind: kindOf(name, value) }))
  const unknown = all.filter(({ kind }) => kind === undefined)
  for (const { name } of unknown) {
    const message = `jobs ${name} config should implement a script: or a trigger: keyword`
    report.error(message.toLowerCase(), config.locations.get(name))
  }
  const hasVisibleJob = all.some(({ kind }) => kind === 'job' || kind === 'bridge')
  if (!hasVisibleJob) report.error('jobs config should contain at least one visible job', undefined)
  if (unknown.length > 0 || !hasVisibleJob) return false
  for (const { name, value, kind } of all) {
    if (kind === 'hidden') continue
    const node = new Node(report, `jobs:${name}`, value, config.locations.get(name))
    if (config.nonTextKeys?.has(name)) node.attributeError('name', 'should be a symbol')
    else if (name === '') report.error("jobs:job name can't be blank", node.source)
    else job(node, name, kind === 'bridge')
  }
  return true
}

/** Warns about a last rule that always matches, because it may create duplicate pipelines (spec ci 4.7). */
function warnOfDuplicates(config: Hash, report: Report, name: string, value: Value): void {
  const workflowValue = config.get('workflow')
  if (isHash(workflowValue) && workflowValue.has('rules')) return
  if (name.startsWith('.') || !isHash(value)) return
  const rules = value.get('rules')
  const last = isList(rules) ? rules.flatMap(flatten).at(-1) : undefined
  if (!isHash(last) || last.size !== 1 || !last.has('when') || last.get('when') === 'never') return
  report.warn(
    `jobs:${name} may allow multiple pipelines to run for a single action due to \`rules:when\` clause with no \`workflow:rules\``,
    value.locations.get('rules'),
  )
}
