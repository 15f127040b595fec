import { Bzip2Compressor } from '../../../lib/bzip2/compressor.ts'
import { serve } from '../../../threads/serve.ts'
import type { Bzip2Work } from './bzip2.ts'

const compressor = new Bzip2Compressor()

serve<Bzip2Work>((chunk) => (chunk === null ? compressor.end() : compressor.push(chunk)), {
  transfer: (compressed) => [compressed.buffer as ArrayBuffer],
})
