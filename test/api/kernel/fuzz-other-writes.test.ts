import { fuzz, writing } from '../../support/fuzz.ts'

fuzz(writing.filter((_, index) => index % 2 === 1))
