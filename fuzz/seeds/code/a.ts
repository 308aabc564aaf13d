aP7
/** A service. */
@injectable()
export class UserService<T> extends Base {
  private readonly users = new Map<string, T>();

  /** Finds one. */
  async getUser(id: string): Promise<T | undefined> {
    if (!id) { throw new Error(`no ${id}`); }
    return this.users.get(id);
  }
  over(a: number): void;
  over(a: string): void;
}
import { a as b, type C } from './c.js';
export const add = (a: number, b: number) => a + b;
namespace N { export interface I { x: number } enum E { A, B } }
