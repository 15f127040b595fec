import { isBlank, isHash, isList, isText, type Value } from '../values.ts'
import { allowedKeys, attributes, bool, hash, text } from './checks.ts'
import { visit, type Entry, type Node } from './node.ts'

const PROJECT = new Set(['project', 'branch', 'strategy', 'forward'])
const INCLUDE = new Set(['include', 'strategy', 'forward'])
const INCLUDED = new Set([
  'local',
  'file',
  'ref',
  'project',
  'remote',
  'template',
  'artifact',
  'job',
  'rules',
  'inputs',
])
const FORWARD = new Set(['yaml_variables', 'pipeline_variables'])
const MAX_INCLUDES = 3

const strategy = (value: Value) => value !== 'depend' && 'should be depend'

const forward: Entry = (node) => {
  if (!hash(node)) return
  allowedKeys(node, FORWARD)
  attributes(node, { yaml_variables: bool, pipeline_variables: bool })
}

const include: Entry = (node) => {
  if (isText(node.value)) return
  if (isHash(node.value)) return included(node)
  if (!isList(node.value)) return node.config('should be an array or a string')
  if (node.value.length > MAX_INCLUDES) return node.config(`is too long (maximum is ${MAX_INCLUDES})`)
  for (const one of node.value) if (!isText(one)) included(node.item('include', one))
}

function included(node: Node): void {
  if (!isHash(node.value)) return node.config('should be a hash or a string')
  allowedKeys(node, INCLUDED)
  if (node.has('project') && isBlank(node.get('file'))) {
    node.config('must specify the file where to fetch the config from')
  }
  if (node.has('artifact') && isBlank(node.get('job'))) {
    node.config('must specify the job where to fetch the artifact from')
  }
}

/** `trigger:`, of another project or of a child pipeline. */
export const trigger: Entry = (node) => {
  if (isText(node.value)) {
    if (node.value.trim() === '') node.config("can't be blank")
    return
  }
  if (!isHash(node.value)) return node.plain('has to be either a string or a hash')
  if (node.has('include')) allowedKeys(node, INCLUDE)
  else if (node.has('project')) {
    allowedKeys(node, PROJECT)
    if (isBlank(node.get('project'))) node.attribute('project', "can't be blank")
    attributes(node, { project: text, branch: text })
  } else return node.config('must specify either project or include')
  attributes(node, { strategy })
  visit(node, { include, forward })
}
