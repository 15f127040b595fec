import { Failure } from '../../../../lib/fail.ts'

/** A pipeline that is not made: 400 `{"message":{"base":[…]}}` (spec ci 2.6). */
export class PipelineRefused extends Failure {
  readonly texts: readonly string[]
  readonly because: Cause | undefined

  constructor(texts: readonly string[], because?: Cause) {
    super('bad_request', { base: texts })
    this.name = 'PipelineRefused'
    this.texts = texts
    this.because = because
  }
}

/**
 * `config`: the configuration is broken, as opposed to one that wants no pipeline here; `rights`: the actor may not;
 * `validation`: the service that is asked about every pipeline said no.
 */
type Cause = 'config' | 'rights' | 'validation'

/** A refusal with one sentence: `throw refused('Reference not found')`. */
export function refused(text: string, because?: Cause): PipelineRefused {
  return new PipelineRefused([text], because)
}
