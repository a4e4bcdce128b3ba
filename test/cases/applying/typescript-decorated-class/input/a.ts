@Injectable()
export class Service {
  @Input() name = 'x';

  constructor(private readonly http: Http) {}

  @Get('list')
  private async list(): Promise<number[]> {
    return [];
  }
}
