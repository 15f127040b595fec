import { domain } from '../../domain.ts'

export type { Built } from './build/build.ts'
export { compileInThread } from './compile/compile-apart.ts'
export type { Compiled } from './compile/compile.ts'
export { fileOf, filesOf, resolverFor } from './compile/read-includes.ts'
export { noProject, type Included, type Resolver } from './includes/entry.ts'
export { FAILURE_REASONS, type Problem, secondsOf } from './language/values.ts'
export { globOf, type Glob } from './language/patterns.ts'
export { expandAll, expandText, type Variable } from './language/variables.ts'
export { needsOfSelection, selectJobs, type SelectedJob, type Selection } from './select/select.ts'
export { slugOf, LayeredVariables, type PipelineContext } from './select/values.ts'
export { findTemplate as ciTemplateNamed, templateNames as ciTemplateNames } from './templates/templates.ts'
export type { CompiledJob, Environment, Json, Need, OtherNeeds, Policy, Retry } from './types.ts'
export type { Limits } from './yaml/parse.ts'

/** Reads, checks and compiles CI configurations. It knows no pipelines and has no tables. */
export const ciConfigDomain = domain({ name: 'ci_config' })
