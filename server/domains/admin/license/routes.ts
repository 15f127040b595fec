import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { date, entity, time } from '../../../http/entity.ts'
import { int, text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { firstAdmin } from '../../users/index.ts'
import { counts } from '../overview/store.ts'

/** The data of the license. */
interface LicenseData {
  /** The time when the instance was created. */
  readonly since: string
  readonly active_users: number
}

/** The only license of an instance: for all users, with all features, without expiration (spec administration 13). */
const License = entity(
  'License',
  {
    id: z.int(),
    plan: z.string(),
    created_at: time(),
    starts_at: date(),
    expires_at: date().nullable(),
    historical_max: z.int(),
    maximum_user_count: z.int(),
    licensee: z.strictObject({ Name: z.string(), Company: z.string(), Email: z.string() }),
    add_ons: z.strictObject({}),
    expired: z.boolean(),
    overage: z.int(),
    user_limit: z.int(),
    active_users: z.int(),
  },
  ({ since, active_users }: LicenseData) => ({
    id: 1,
    plan: 'ultimate',
    created_at: since,
    starts_at: since.slice(0, 10),
    expires_at: null,
    historical_max: active_users,
    maximum_user_count: active_users,
    licensee: { Name: 'Everybody', Company: 'Deskforge', Email: 'everybody@localhost' },
    add_ons: {},
    expired: false,
    overage: 0,
    user_limit: 0,
    active_users,
  }),
)

/** The answer to a recount of billable users. */
const BillableUsers = entity('BillableUsers', { success: z.boolean() }, () => ({ success: true }))

const id = int().describe('The ID of the license')

function licenseData(ctx: Ctx): LicenseData {
  return { since: firstAdmin(ctx.db)?.created_at ?? ctx.now, active_users: counts(ctx.db).active_users }
}

function checkLicense(number: number): void {
  if (number !== 1) throw notFound('License')
}

export const getLicense = endpoint('GET /license', {
  summary: 'Get the license of the instance',
  can: 'admin',
  returns: ok(License),
  run: licenseData,
})

export const listLicenses = endpoint('GET /licenses', {
  summary: 'List all licenses',
  can: 'admin',
  returns: page(License, { paging: 'none' }),
  run: (ctx) => ({ rows: [licenseData(ctx)], total: 1 }),
})

export const getLicenseById = endpoint('GET /license/:id', {
  summary: 'Get a license',
  can: 'admin',
  params: { id },
  returns: ok(License),
  run: (ctx) => {
    checkLicense(ctx.params.id)
    return licenseData(ctx)
  },
})

export const addLicense = endpoint('POST /license', {
  summary: 'Add a license. Always refused, because all features are licensed',
  can: 'admin',
  params: { license: text().describe('The license') },
  fails: { 400: 'The license is invalid' },
  returns: created(License),
  run: () => {
    throw fail('bad_request', 'The license key is invalid.')
  },
})

export const removeLicense = endpoint('DELETE /license/:id', {
  summary: 'Delete a license. Has no effect',
  can: 'admin',
  params: { id },
  returns: noContent,
  run: (ctx) => checkLicense(ctx.params.id),
})

export const refreshBillableUsers = endpoint('PUT /license/:id/refresh_billable_users', {
  summary: 'Refresh the number of billable users. Has no effect, because it is always up to date',
  can: 'admin',
  params: { id },
  returns: { ...ok(BillableUsers), status: 202 },
  run: (ctx) => {
    checkLicense(ctx.params.id)
    return {}
  },
})
