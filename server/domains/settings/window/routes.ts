import { endpoint } from '../../../http/endpoint.ts'
import { ok } from '../../../http/returns.ts'
import { described } from './describe.ts'
import { SettingsCatalogue } from './entity.ts'

export const getCatalogue = endpoint('GET /-/settings/catalogue', {
  summary: 'List every application setting with its default, its limits and what it changes',
  can: 'admin',
  pure: true,
  returns: ok(SettingsCatalogue),
  run: () => described(),
})
