import { Failure } from '../../../../lib/fail.ts'

/** A pipeline that is not made: 400 `{"message":{"base":[…]}}` (spec ci 2.6). */
export class PipelineRefused extends Failure {
  readonly texts: readonly string[]
  /** True where the configuration is broken, as opposed to one that wants no pipeline here. */
  readonly isConfigError: boolean

  constructor(texts: readonly string[], options: { isConfigError?: boolean } = {}) {
    super('bad_request', { base: texts })
    this.name = 'PipelineRefused'
    this.texts = texts
    this.isConfigError = options.isConfigError ?? false
  }
}

/** A refusal with one sentence: `throw refused('Reference not found')`. */
export function refused(text: string): PipelineRefused {
  return new PipelineRefused([text])
}
