import type { Ctx } from '../../../ctx.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { int, text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { fail, notFound } from '../../../lib/fail.ts'
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
  summary: 'Get the licence of the instance',
  can: 'admin',
  returns: ok(License),
  run: licensed,
})

export const listLicenses = endpoint('GET /licenses', {
  summary: 'List all licences',
  can: 'admin',
  returns: page(License, { paging: 'none' }),
  run: (ctx) => ({ rows: [licensed(ctx)], total: 1 }),
})

export const getLicenseOf = endpoint('GET /license/:id', {
  summary: 'Get a licence',
  can: 'admin',
  params: { id },
  returns: ok(License),
  run: (ctx) => {
    insist(ctx.params.id)
    return licensed(ctx)
  },
})

export const addLicense = endpoint('POST /license', {
  summary: 'Add a licence; always refused, because every feature is licensed',
  can: 'admin',
  params: { license: text().describe('The licence') },
  fails: { 400: 'No other licence is valid' },
  returns: created(License),
  run: () => {
    throw fail('bad_request', 'The license key is invalid.')
  },
})

export const removeLicense = endpoint('DELETE /license/:id', {
  summary: 'Delete a licence; without effect',
  can: 'admin',
  params: { id },
  returns: noContent,
  run: (ctx) => insist(ctx.params.id),
})

export const refreshBillableUsers = endpoint('PUT /license/:id/refresh_billable_users', {
  summary: 'Refresh the count of billable users; it is always up to date',
  can: 'admin',
  params: { id },
  returns: { ...ok(BillableUsers), status: 202 },
  run: (ctx) => {
    insist(ctx.params.id)
    return {}
  },
})
