import { isExpression } from '../expressions/parse.ts'
import { isBlank, isHash, isList, isText } from '../values.ts'
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
    for (const one of node.value.flatMap(flatten)) rule(node.item('rule', one), kind)
  }
}

export const jobRules = rules(job)
export const workflowRules = rules(workflow)
