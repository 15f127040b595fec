import { fail } from '../lib/fail.ts'
import { PARAMETER_ALIASES } from '../lib/aliases.ts'
import type { Endpoint, Shape, ParameterRule } from './endpoint.ts'
import type { Nested } from './request/nesting.ts'
import { pagingParams } from './paging.ts'
import { readerOf, sentences } from './param.ts'

/** Checks the parameters of requests to one endpoint. */
export interface Validator {
  /** Every parameter, paging included; undeclared ones are not in the result. */
  readonly shape: Shape
  /** Checks and coerces. Throws one 400 with every problem, in the contract's sentences. */
  check(nested: Nested): Record<string, unknown>
}

/** Applies the alias table, so that a vendor's name is accepted for the neutral one. */
function neutral(nested: Nested): Nested {
  for (const [name, value] of Object.entries(nested)) {
    const target = Object.hasOwn(PARAMETER_ALIASES, name) ? PARAMETER_ALIASES[name] : undefined
    if (target !== undefined && !(target in nested)) nested[target] = value
  }
  return nested
}

function togetherProblem(rule: ParameterRule, input: Readonly<Record<string, unknown>>): string | undefined {
  const present = rule.names.filter((name) => input[name] !== undefined)
  const names = rule.names.join(', ')
  const list = present.join(', ')
  switch (rule.rule) {
    case 'at_least_one':
      return present.length === 0
        ? `${names} are missing, at least one parameter must be provided`
        : undefined
    case 'exactly_one':
      if (present.length === 0) return `${names} are missing, exactly one parameter must be provided`
      return present.length > 1 ? `${list} are mutually exclusive` : undefined
    case 'exclusive': {
      // Some libraries send unused parameters as empty strings.
      const given = present.filter((name) => input[name] !== '')
      return given.length > 1 ? `${given.join(', ')} are mutually exclusive` : undefined
    }
    case 'all_or_none':
      return present.length > 0 && present.length < rule.names.length
        ? `${names} provide all or none of parameters`
        : undefined
  }
}

/** Builds the validator of an endpoint once, at start. */
export function validatorOf(endpoint: Endpoint): Validator {
  const shape: Shape = {
    ...endpoint.params,
    ...(endpoint.returns.list ? pagingParams(endpoint.returns.list) : {}),
  }
  const read = readerOf(shape)
  return {
    shape,
    check(sent) {
      const { given, values, issues } = read(neutral(sent))
      const problems = issues.length === 0 ? [] : sentences({ issues })
      for (const rule of endpoint.together) {
        const problem = togetherProblem(rule, given)
        if (problem) problems.push(problem)
      }
      if (problems.length > 0) throw fail('parameter', [...new Set(problems)].join(', '))
      return values
    },
  }
}
