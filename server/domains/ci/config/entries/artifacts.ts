import { isText, isTexts } from '../values.ts'
import {
  allowedKeys,
  attributes,
  bool,
  durationOrNever,
  hash,
  mapping,
  oneOf,
  text,
  textOrTexts,
  texts,
  upTo,
} from './checks.ts'
import { visit, type Entry } from './node.ts'

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
  if (!hash(node)) return
  allowedKeys(node, COVERAGE_REPORT)
  const format = node.get('coverage_format')
  if (format === null) node.attribute('coverage_format', "can't be blank")
  else if (!isText(format) || !FORMATS.includes(format)) {
    node.attribute('coverage_format', `must be one of supported formats: ${FORMATS.join(', ')}.`)
  }
  if (node.get('path') === null) node.attribute('path', "can't be blank")
  attributes(node, { path: text })
}

const reports: Entry = (node) => {
  if (!hash(node)) return
  allowedKeys(node, REPORT_KEYS)
  attributes(node, REPORT_RULES)
  visit(node, { coverage_report: coverageReport })
}

export const artifacts: Entry = (node) => {
  if (!hash(node)) return
  allowedKeys(node, ARTIFACTS)
  const exposed = node.get('expose_as')
  attributes(node, { name: text, public: bool, untracked: bool, paths: texts })
  if (exposed !== null) {
    const paths = node.get('paths')
    if (paths === null || (isTexts(paths) && paths.length === 0)) node.attribute('paths', "can't be blank")
    if (isTexts(paths) && paths.some((path) => path.includes('*'))) {
      node.attribute('paths', "can't contain '*' when used with 'expose_as'")
    }
    attributes(node, {
      expose_as: [
        text,
        upTo(100),
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
