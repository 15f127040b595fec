import { CI_CONFIG_FILE } from '../../../../http/aliases.ts'
import { bash } from './bash.ts'
import { docker } from './docker.ts'
import { languages } from './languages.ts'
import { moreLanguages } from './more-languages.ts'
import { nodejs } from './nodejs.ts'
import { pages } from './pages.ts'
import { python } from './python.ts'
import { workflows } from './workflows.ts'

const SUFFIX = CI_CONFIG_FILE

/** Configurations that come with the instance, by name without the usual ending. */
const templates: ReadonlyMap<string, string> = new Map([
  ...Object.entries(languages),
  ...Object.entries(moreLanguages),
  ['Bash', bash],
  ['Docker', docker],
  ['Nodejs', nodejs],
  ['Pages/HTML', pages],
  ['Python', python],
  ['Workflows/Branch-Pipelines', workflows.branches],
  ['Workflows/MergeRequest-Pipelines', workflows.mergeRequests],
])

/** The text of a template, or nothing; the ending may be left out. */
export function templateNamed(name: string): string | undefined {
  return templates.get(name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : name)
}

/** Names of all templates as they are included. */
export function templateNames(): string[] {
  return [...templates.keys()].sort().map((name) => name + SUFFIX)
}
