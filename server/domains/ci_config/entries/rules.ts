import { isExpression } from '../language/expressions.ts'
import { patternOf } from '../language/patterns.ts'
import { isBlank, isHash, isList, isText, isTexts, type Value } from '../language/values.ts'
import {
  allowedKeys,
  attributes,
  bool,
  duration,
  entriesUpTo,
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

interface Kind {
  readonly keys: ReadonlySet<string>
  readonly when: readonly string[]
  readonly isJob: boolean
}

const job: Kind = {
  keys: new Set(JOB_RULE),
  when: ['on_success', 'on_failure', 'always', 'never', 'manual', 'delayed'],
  isJob: true,
}

const workflow: Kind = { keys: new Set(WORKFLOW_RULE), when: ['always', 'never'], isJob: false }

const globs: Entry = (node) => {
  if (isList(node.value)) return checkGlobs(node)
  if (!isHash(node.value)) return node.config('should be an array or a hash')
  allowedKeys(node, CHANGES)
  const paths = node.get('paths')
  if (paths === null) node.attribute('paths', "can't be blank")
  attributes(node, { paths: [texts, entriesUpTo(MAX_GLOBS)], compare_to: text })
}

const exists: Entry = (node) => {
  if (!isHash(node.value))
    return isList(node.value) ? checkGlobs(node) : node.config('should be an array of strings')
  allowedKeys(node, EXISTS)
  attributes(node, { paths: [texts, entriesUpTo(MAX_GLOBS)], project: text, ref: text })
}

function checkGlobs(node: Node): void {
  if (texts(node.value)) return node.config('should be an array of strings')
  const words = entriesUpTo(MAX_GLOBS)(node.value)
  if (words) node.config(words)
}

function rule(node: Node, kind: Kind): void {
  if (!isHash(node.value)) return node.config('should be a hash')
  allowedKeys(node, kind.keys)
  const when = node.get('when')
  const isDelayed = when === 'delayed'
  if (!isDelayed && node.has('start_in') && kind.isJob) node.config('contains disallowed keys: start_in')
  attributes(node, {
    if: expression(isExpression),
    when: (value) => !(isText(value) && kind.when.includes(value)) && `unknown value: ${showValue(value)}`,
  })
  if (isDelayed && kind.isJob) {
    if (isBlank(node.get('start_in'))) node.attribute('start_in', "can't be blank")
    attributes(node, { start_in: duration })
  }
  attributes(node, { allow_failure: bool, interruptible: bool })
  visit(node, { changes: globs, exists, variables: jobVariables })
}

function showValue(value: unknown): string {
  return isText(value) ? value : String(JSON.stringify(value) ?? value)
}

function rules(kind: Kind): Entry {
  return (node) => {
    if (!isList(node.value)) return node.config('should be an array')
    if (node.value.length === 0) return node.config("can't be blank")
    for (const item of node.value.flatMap(flatten)) rule(node.item('rule', item), kind)
  }
}

export const jobRules = rules(job)

export const workflowRules = rules(workflow)
const KEYS = new Set(['refs', 'kubernetes', 'variables', 'changes'])
const NO_REFS = 'should be an array of strings or regular expressions using re2 syntax'

/** A name or a pattern, optionally followed by `@path`. */
function isRef(value: Value): boolean {
  if (!isText(value)) return false
  if (!value.startsWith('/')) return true
  const end = /^(\/.*\/[ismU]*)(?:@.*)?$/s.exec(value)
  return end !== null && patternOf(end[1]!) !== null
}

const refs: Rule = (value) => !(isList(value) && value.every(isRef)) && NO_REFS
const expressions: Rule = (value) => {
  if (!isTexts(value)) return 'should be an array of strings'
  return !value.every(isExpression) && 'invalid expression syntax'
}

/** `only:` and `except:` (spec ci 4.9). */
export const policy: Entry = (node) => {
  if (isList(node.value)) {
    const words = refs(node.value)
    if (words) node.config(words)
    return
  }
  if (!isHash(node.value)) return node.plain('has to be either an array of conditions or a hash')
  allowedKeys(node, KEYS)
  if (isBlank(node.value)) node.config("can't be blank")
  attributes(node, {
    refs,
    kubernetes: (value) => value !== 'active' && `unknown value: ${String(value)}`,
    variables: expressions,
    changes: [texts, entriesUpTo(50)],
  })
}
