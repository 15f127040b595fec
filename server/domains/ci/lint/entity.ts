import { z } from 'zod'

import { entity, type Presentation } from '../../../http/entity.ts'
import { CiLintInclude, CiLintJob } from './parts.ts'
import type { Lint } from './result.ts'

const texts = z.array(z.string())

/** What is shared by both forms, and left out where it was not asked for. */
function parts(lint: Lint, at: Presentation) {
  return {
    includes: lint.includes && lint.includes.map((one) => CiLintInclude.present(one, at)),
    ...(lint.jobs ? { jobs: lint.jobs.map((job) => CiLintJob.present(job, at)) } : {}),
  }
}

/** The answer to a configuration without a project. */
export const CiLint = entity(
  'CiLint',
  {
    status: z.enum(['valid', 'invalid']),
    errors: texts,
    warnings: texts,
    valid: z.boolean(),
    merged_yaml: z.string().nullable().optional(),
    includes: z.array(z.strictObject(CiLintInclude.fields)).nullable(),
    jobs: z.array(z.strictObject(CiLintJob.fields)).optional(),
  },
  (lint: Lint, at) => ({
    status: lint.valid ? ('valid' as const) : ('invalid' as const),
    errors: lint.errors.map(({ message }) => message),
    warnings: lint.warnings.map(({ message }) => message),
    valid: lint.valid,
    ...(lint.merged_yaml === undefined ? {} : { merged_yaml: lint.merged_yaml }),
    ...parts(lint, at),
  }),
)

/** The answer to a configuration of a project. */
export const ProjectCiLint = entity(
  'ProjectCiLint',
  {
    valid: z.boolean(),
    errors: texts,
    warnings: texts,
    merged_yaml: z.string().nullable(),
    includes: z.array(z.strictObject(CiLintInclude.fields)).nullable(),
    jobs: z.array(z.strictObject(CiLintJob.fields)).optional(),
  },
  (lint: Lint, at) => ({
    valid: lint.valid,
    errors: lint.errors.map(({ message }) => message),
    warnings: lint.warnings.map(({ message }) => message),
    merged_yaml: lint.merged_yaml ?? null,
    ...parts(lint, at),
  }),
)
