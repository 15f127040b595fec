import { endpoint } from '../../../http/endpoint.ts'
import { ok } from '../../../http/returns.ts'
import { InstanceOverview } from './entity.ts'
import { overview } from './service.ts'

export const getOverview = endpoint('GET /-/admin/overview', {
  summary: 'Get an overview of the instance',
  can: 'admin',
  volatile: true,
  returns: ok(InstanceOverview),
  run: overview,
})
