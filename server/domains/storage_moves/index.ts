export { stopStorageMoves } from './running.ts'
