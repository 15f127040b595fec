import type { Ctx } from '../../../ctx.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { int, text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { notFound } from '../../../lib/fail.ts'
import { firstAdmin } from '../../users/index.ts'
import { counts } from '../statistics/store.ts'
import { BillableUsers, License, type Licensed } from './entity.ts'

const id = int().describe('Number of the licence')

function licensed(ctx: Ctx): Licensed {
  return { since: firstAdmin(ctx.db)?.created_at ?? ctx.now, active_users: counts(ctx.db).active_users }
}

function insist(number: number): void {
  if (number !== 1) throw notFound('License')
}

export const getLicense = endpoint('GET /license', {
  summary: 'Get the licence of the instance, which is for everybody',
  can: 'admin',
  returns: ok(License),
  run: licensed,
})

export const listLicenses = endpoint('GET /licenses', {
  summary: 'List the licences of the instance; there is one',
  can: 'admin',
  returns: page(License, { paging: 'none' }),
  run: (ctx) => ({ rows: [licensed(ctx)], total: 1 }),
})

export const getLicenseOf = endpoint('GET /license/:id', {
  summary: 'Get a licence of the instance',
  can: 'admin',
  params: { id },
  returns: ok(License),
  run: (ctx) => {
    insist(ctx.params.id)
    return licensed(ctx)
  },
})

export const addLicense = endpoint('POST /license', {
  summary: 'Take a licence; the one for everybody stays',
  can: 'admin',
  params: { license: text().describe('The licence') },
  returns: created(License),
  run: licensed,
})

export const removeLicense = endpoint('DELETE /license/:id', {
  summary: 'Remove a licence; the one for everybody stays',
  can: 'admin',
  params: { id },
  returns: noContent,
  run: (ctx) => insist(ctx.params.id),
})

export const refreshBillableUsers = endpoint('PUT /license/:id/refresh_billable_users', {
  summary: 'Count who uses the licence anew; it is always counted',
  can: 'admin',
  params: { id },
  returns: { ...ok(BillableUsers), status: 202 },
  run: (ctx) => {
    insist(ctx.params.id)
    return {}
  },
})
