import { endpoint } from '../../../http/endpoint.ts'
import { ok } from '../../../http/returns.ts'
import { ApplicationStatistics } from './entity.ts'
import { counts } from './store.ts'

export const getStatistics = endpoint('GET /application/statistics', {
  summary: 'Get application statistics',
  can: 'admin',
  pure: true,
  returns: ok(ApplicationStatistics),
  run: (ctx) => counts(ctx.db),
})
