import type { Ctx } from '../../../../ctx.ts'
import { notFound } from '../../../../lib/fail.ts'
import { licenseNamed } from '../../../projects/index.ts'
import { usersById } from '../../../users/index.ts'
import type { LicenseText } from '../entity.ts'
import { customKeys, customText } from '../instance-project.ts'
import { TERMS, type Terms } from './terms.ts'
import { filled, textOf } from './texts.ts'

async function shown(terms: Terms, content: string): Promise<LicenseText> {
  return { license: licenseNamed(terms.key)!, terms, content }
}

/** The licences that projects can begin with, by name; `popular` narrows them to those offered first, or to the others. */
export async function listLicenses(ctx: Ctx, popular: boolean | undefined): Promise<LicenseText[]> {
  const wanted = TERMS.filter((one) => popular === undefined || one.popular === popular)
  const all = await Promise.all(wanted.map(async (one) => shown(one, await textOf(one.spdx))))
  const sorted = all.sort((a, b) => a.license.name.localeCompare(b.license.name, 'en'))
  if (popular) return sorted
  const own = await customKeys(ctx, 'licenses')
  const texts = await Promise.all(own.map((key) => customText(ctx, 'licenses', key)))
  return [...own.map((key, at) => customLicense(key, texts[at] ?? '')), ...sorted]
}

/** A licence of the instance's own project; what it allows is for its readers to find out. */
function customLicense(key: string, content: string): LicenseText {
  const license = { key, name: key, nickname: null, html_url: '', source_url: '' }
  const terms = {
    key,
    spdx: '',
    popular: false,
    description: '',
    permissions: [],
    conditions: [],
    limitations: [],
  }
  return { license, terms, content }
}

/** What is put into the gaps of a licence. */
export interface Gaps {
  /** Name of the project. */
  readonly project?: string | undefined
  /** Who holds the rights; by default whoever asks. */
  readonly fullname?: string | undefined
}

/** One licence, filled in with the year and who asks. Throws 404 for one that is not among the common ones. */
export async function licenseTemplate(ctx: Ctx, key: string, gaps: Gaps): Promise<LicenseText> {
  const custom = await customText(ctx, 'licenses', key)
  if (custom !== undefined) return customLicense(key, custom)
  const terms = TERMS.find((one) => one.key === key.toLowerCase())
  if (!terms) throw notFound('License')
  const own = ctx.actor.id === null ? undefined : usersById(ctx.db, [ctx.actor.id]).get(ctx.actor.id)?.name
  const given = { year: ctx.now.slice(0, 4), project: gaps.project, fullname: gaps.fullname || own }
  return shown(terms, filled(await textOf(terms.spdx), given))
}
