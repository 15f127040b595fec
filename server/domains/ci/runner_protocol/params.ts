import { param, refuse, type Param } from '../../../http/param.ts'
import { FAILURE_REASONS } from '../../ci_config/index.ts'
import type { RunnerFeatures } from './take.ts'

/** What a runner reports about itself with its calls (spec ci 1.6). */
export interface RunnerInfo {
  readonly name?: string
  readonly version?: string
  readonly revision?: string
  readonly platform?: string
  readonly architecture?: string
  readonly executor?: string
  readonly features: RunnerFeatures
  readonly config: { readonly gpus?: string }
}

const TEXTS = ['name', 'version', 'revision', 'platform', 'architecture', 'executor'] as const
const MAX_TEXT = 255

/** More features than any runner announces. */
const MAX_FEATURES = 200

/** The parameter `info`. Old and new runners send it, so invalid parts are ignored. */
export function runnerInfo(): Param<RunnerInfo> {
  return param({ type: 'object' }, (raw) => {
    if (!isHash(raw)) return refuse('is invalid')
    const texts = TEXTS.flatMap((key) => {
      const value = textIn(raw[key])
      return value === undefined ? [] : [[key, value] as const]
    })
    const features = isHash(raw['features']) ? Object.entries(raw['features']).slice(0, MAX_FEATURES) : []
    const gpus = isHash(raw['config']) ? textIn(raw['config']['gpus']) : undefined
    return {
      ...Object.fromEntries(texts),
      features: Object.fromEntries(
        features.map(([name, value]) => [name.slice(0, MAX_TEXT), value === true]),
      ),
      config: gpus === undefined ? {} : { gpus },
    }
  })
}

function textIn(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '' || value.includes('\0') || !value.isWellFormed())
    return undefined
  return value.slice(0, MAX_TEXT)
}

function isHash(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const KNOWN: ReadonlySet<string> = new Set(FAILURE_REASONS)

/** Maps the failure reason of a runner to the stored one. */
export function failureReason(given: string | undefined): string {
  if (given === undefined || given === '') return 'script_failure'
  return KNOWN.has(given) ? given : 'unknown_failure'
}
