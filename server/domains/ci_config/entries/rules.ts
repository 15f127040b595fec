import { isExpression } from '../language/expressions.ts'
import { patternOf } from '../language/patterns.ts'
import { isBlank, isHash, isList, isText, isTexts, type Value } from '../language/values.ts'
import {
  allowedKeys,
  attributes,
  bool,
  duration,
  maxEntries,
  expression,
  flatten,
  text,
  texts,
  type Rule,
} from './checks.ts'
import { visit, type Entry, type Node } from './node.ts'
import { jobVariables } from './variables.ts'

const JOB_RULE = [
  'if',
  'changes',
  'exists',
  'when',
  'start_in',
  'allow_failure',
  'variables',
  'needs',
  'interruptible',
]

const WORKFLOW_RULE = ['if', 'changes', 'exists', 'when', 'variables', 'auto_cancel']
const MAX_GLOBS = 50
const CHANGES = new Set(['paths', 'compare_to'])
const EXISTS = new Set(['paths', 'project', 'ref'])

/** The differences between the rules of jobs and those of workflows. */
interface RuleKind {
  readonly keys: ReadonlySet<string>
  readonly when: readonly string[]
  readonly isJob: boolean
}

const job: RuleKind = {
  keys: new Set(JOB_RULE),
  when: ['on_success', 'on_failure', 'always', 'never', 'manual', 'delayed'],
  isJob: true,
}

const workflow: RuleKind = { keys: new Set(WORKFLOW_RULE), when: ['always', 'never'], isJob: false }

const globs: Entry = (node) => {
  if (isList(node.value)) return checkGlobs(node)
  if (!isHash(node.value)) return node.configError('should be an array or a hash')
  allowedKeys(node, CHANGES)
  const paths = node.get('paths')
  if (paths === null) node.attributeError('paths', "can't be blank")
  attributes(node, { paths: [texts, maxEntries(MAX_GLOBS)], compare_to: text })
}

const exists: Entry = (node) => {
  if (!isHash(node.value))
    return isList(node.value) ? checkGlobs(node) : node.configError('should be an array of strings')
  allowedKeys(node, EXISTS)
  attributes(node, { paths: [texts, maxEntries(MAX_GLOBS)], project: text, ref: text })
}

function checkGlobs(node: Node): void {
  if (texts(node.value)) return node.configError('should be an array of strings')
  const message = maxEntries(MAX_GLOBS)(node.value)
  if (message) node.configError(message)
}

function checkRule(node: Node, kind: RuleKind): void {
  if (!isHash(node.value)) return node.configError('should be a hash')
  allowedKeys(node, kind.keys)
  const when = node.get('when')
  const isDelayed = when === 'delayed'
  if (!isDelayed && node.has('start_in') && kind.isJob) node.configError('contains disallowed keys: start_in')
  attributes(node, {
    if: expression(isExpression),
    when: (value) => !(isText(value) && kind.when.includes(value)) && `unknown value: ${display(value)}`,
  })
  if (isDelayed && kind.isJob) {
    if (isBlank(node.get('start_in'))) node.attributeError('start_in', "can't be blank")
    attributes(node, { start_in: duration })
  }
  attributes(node, { allow_failure: bool, interruptible: bool })
  visit(node, { changes: globs, exists, variables: jobVariables })
}

function display(value: unknown): string {
  return isText(value) ? value : String(JSON.stringify(value) ?? value)
}

function rules(kind: RuleKind): Entry {
  return (node) => {
    if (!isList(node.value)) return node.configError('should be an array')
    if (node.value.length === 0) return node.configError("can't be blank")
    for (const item of node.value.flatMap(flatten)) checkRule(node.item('rule', item), kind)
  }
}

export const jobRules = rules(job)

export const workflowRules = rules(workflow)

const KEYS = new Set(['refs', 'kubernetes', 'variables', 'changes'])
const NO_REFS = 'should be an array of strings or regular expressions using re2 syntax'

/** Whether a value is a name or a pattern, optionally followed by `@path`. */
function isRef(value: Value): boolean {
  if (!isText(value)) return false
  if (!value.startsWith('/')) return true
  const pattern = /^(\/.*\/[ismU]*)(?:@.*)?$/s.exec(value)
  return pattern !== null && patternOf(pattern[1]!) !== null
}

const refs: Rule = (value) => !(isList(value) && value.every(isRef)) && NO_REFS
const expressions: Rule = (value) => {
  if (!isTexts(value)) return 'should be an array of strings'
  return !value.every(isExpression) && 'invalid expression syntax'
}

/** `only:` and `except:` (spec ci 4.9). */
export const policy: Entry = (node) => {
  if (isList(node.value)) {
    const message = refs(node.value)
    if (message) node.configError(message)
    return
  }
  if (!isHash(node.value)) return node.error('has to be either an array of conditions or a hash')
  allowedKeys(node, KEYS)
  if (isBlank(node.value)) node.configError("can't be blank")
  attributes(node, {
    refs,
    kubernetes: (value) => value !== 'active' && `unknown value: ${String(value)}`,
    variables: expressions,
    changes: [texts, maxEntries(50)],
  })
}
