import { z } from 'zod'

import { entity } from '../../../http/entity.ts'
import type { Tried } from './service.ts'

const texts = z.array(z.string())

const problems = z.array(
  z.strictObject({
    message: z.string(),
    file: z.string().nullable(),
    line: z.int().nullable(),
    column: z.int().nullable(),
  }),
)

/** The answer for the window, which shows errors where they are. */
export const CiCheck = entity(
  'CiCheck',
  {
    valid: z.boolean(),
    errors: problems,
    warnings: problems,
    merged_yaml: z.string().nullable(),
    stages: texts,
    jobs: z.array(
      z.strictObject({
        name: z.string(),
        stage: z.string(),
        needs: texts,
        included: z.boolean(),
        because: z.string().nullable(),
        reason: z.string().nullable(),
      }),
    ),
  },
  ({ lint, compiled, selection }: Tried) => {
    const included = new Set(selection?.jobs.map(({ job }) => job.name))
    return {
      valid: lint.valid,
      errors: lint.errors.slice(),
      warnings: lint.warnings.slice(),
      merged_yaml: lint.merged_yaml ?? null,
      stages: (compiled.built?.stages ?? []).slice(),
      jobs: (compiled.built?.jobs ?? []).map((job) => {
        const why = selection?.explain(job.name)
        return {
          name: job.name,
          stage: job.stage,
          needs: (job.needs ?? []).map((need) => need.name),
          included: included.has(job.name),
          because: why?.because ?? null,
          reason: why?.text ?? null,
        }
      }),
    }
  },
)
