import { fuzz, reading } from '../../support/fuzz.ts'

fuzz(reading)
