import { endpoint } from '../../../http/endpoint.ts'
import { text } from '../../../http/params.ts'
import { page } from '../../../http/returns.ts'
import { project } from '../../projects/index.ts'
import { flagsOf } from '../clients/features.ts'
import { abilities } from '../policy.ts'
import { FeatureFlagEvaluation } from './entity.ts'
import { evaluate } from './evaluate.ts'

export const evaluateFlags = endpoint('GET /-/projects/:id/feature_flags/evaluation', {
  summary: 'Evaluate the feature flags of a project for a user',
  scope: project,
  can: abilities.read_feature_flags,
  params: {
    environment: text({ max: 255, notEmpty: true }).describe('Name of the environment'),
    user_id: text({ max: 256 }).optional().describe('Id of the user in the application'),
    session_id: text({ max: 256 }).optional().describe('Session of the user'),
  },
  returns: page(FeatureFlagEvaluation, { paging: 'none' }),
  run: (ctx) => {
    const flags = flagsOf(ctx, ctx.project.id)
    const rows = flags
      .map((flag) => ({ id: flag.id, ...evaluate(flag, ctx.params) }))
      .sort((one, other) => (one.name < other.name ? -1 : 1))
    return { rows, total: rows.length }
  },
})
